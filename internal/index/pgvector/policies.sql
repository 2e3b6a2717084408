-- Who sees what of a generation: {schema} is that of the store, whose functions read the signed claim of a transaction, {app} the role
-- that the program works as. The claim of a search is that of the owner; that of what follows the log is the server's own.

GRANT USAGE ON SCHEMA {index} TO {app};
GRANT SELECT, UPDATE ON generations TO {app};
GRANT SELECT, INSERT, UPDATE, DELETE ON nodes_{n}, entries_{n}, postings_{n}, terms_{n} TO {app};
GRANT EXECUTE ON FUNCTION make_near(INTEGER) TO {app};
ALTER TABLE nodes_{n} ENABLE ROW LEVEL SECURITY;
ALTER TABLE entries_{n} ENABLE ROW LEVEL SECURITY;
ALTER TABLE postings_{n} ENABLE ROW LEVEL SECURITY;
ALTER TABLE terms_{n} ENABLE ROW LEVEL SECURITY;
CREATE POLICY claim ON nodes_{n} USING (owner_id = (SELECT {schema}.claim_whole()) OR (SELECT {schema}.claim_system()));
CREATE POLICY claim ON entries_{n} USING (owner_id = (SELECT {schema}.claim_whole()) OR (SELECT {schema}.claim_system()));
CREATE POLICY claim ON postings_{n} USING ((SELECT {schema}.claim_system()) OR node IN (SELECT x.n FROM nodes_{n} x));
CREATE POLICY claim ON terms_{n} USING ((SELECT {schema}.claim_system()) OR node IN (SELECT x.n FROM nodes_{n} x));
