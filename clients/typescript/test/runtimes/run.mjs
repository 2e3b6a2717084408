import { Lukasa } from "../../dist/esm/index.js";
import { smoke } from "./smoke.mjs";

const args = globalThis.Deno ? Deno.args : process.argv.slice(2);
console.log(await smoke(Lukasa, ...args));
