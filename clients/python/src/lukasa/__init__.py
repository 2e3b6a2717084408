"""The client of lukasa, the memory that AI agents keep.

    from lukasa import Lukasa

    lukasa = Lukasa("http://127.0.0.1:7077", api_key="sk_…")
    lukasa.add_document("The cat is called Miso.")
    for hit in lukasa.search("what is the cat called"):
        print(hit.content)

AsyncLukasa is the same for an event loop. lukasa.types has the dataclasses of the answers, lukasa.errors the errors.
"""

from ._call import AsyncChatStream, AsyncListing, ChatStream, Listing, Page
from ._client import AsyncLukasa, Lukasa
from ._transport import (
    AsyncHttpxTransport,
    AsyncTransport,
    HttpxTransport,
    StandardTransport,
    ThreadTransport,
    Transport,
)
from .errors import (
    AuthenticationError,
    ConflictError,
    ConnectionFailedError,
    ForbiddenError,
    InvalidRequestError,
    LukasaError,
    NotFoundError,
    RateLimitError,
    RequestTimeoutError,
    ServerError,
)

__version__ = "0.1.0"

__all__ = [
    "AsyncChatStream",
    "AsyncHttpxTransport",
    "AsyncListing",
    "AsyncLukasa",
    "AsyncTransport",
    "AuthenticationError",
    "ChatStream",
    "ConflictError",
    "ConnectionFailedError",
    "ForbiddenError",
    "HttpxTransport",
    "InvalidRequestError",
    "Listing",
    "Lukasa",
    "LukasaError",
    "NotFoundError",
    "Page",
    "RateLimitError",
    "RequestTimeoutError",
    "ServerError",
    "StandardTransport",
    "ThreadTransport",
    "Transport",
]
