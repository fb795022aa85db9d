"""A client of the Partner Deals API in one file, without dependencies, for Python 3.9 or newer.

    client = PartnerDeals("https://deals.example.com", os.environ["TOKEN"])
    for deal in client.deals.walk():
        print(deal["id"], deal["stage"])

It uses the proxies of HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
"""

from __future__ import annotations

import base64
import binascii
import bisect
import email.utils
import hashlib
import hmac
import http.client
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib
from datetime import datetime, timezone
from email.message import Message
from typing import Any, Iterable, Iterator, List, Mapping, Optional, Protocol, Sequence, Tuple, TypedDict, Union, cast

Value = Union[str, int, float, bool, datetime]
# One value of a parameter, or several alternatives.
Values = Union[Value, Sequence[Value], None]


class Person(TypedDict):
    """A person in one of the six roles of a deal."""

    id: int
    userId: int | None
    email: str | None
    firstName: str | None
    lastName: str | None
    teams: str | None
    crmTeamId: str | None
    createdAt: str | None
    updatedAt: str | None


_Person = Optional[Person]
_Text = Optional[str]
_Number = Optional[float]

# A deal. Times are ISO 8601 in UTC, see parse_time(); unknown values are None.
Deal = TypedDict(
    "Deal",
    {
        "id": int, "owner": _Person, "projectManager": _Person, "postInstallEngineer": _Person,
        "postInstallProjectManager": _Person, "ixCoordinator": _Person, "permitCoordinator": _Person,
        "dealname": _Text, "firstName": _Text, "lastName": _Text, "coordinates": _Text, "state": _Text,
        "streetAddress": _Text, "city": _Text, "zipCode": _Text, "primaryPhone": _Text, "nameOnUb": _Text,
        "utilityName": _Text, "stage": _Text, "stageId": _Text, "pipelineId": _Text, "pipeline": _Text,
        "amount": _Number, "totalPpw": _Number, "basePpw": _Number, "adderPpw": _Text, "adderCost": _Number,
        "adders": _Text, "systemSize": _Text, "roofType": _Text, "designToolAProjectId": _Text,
        "designToolBProjectId": _Text, "designToolCProjectId": _Text, "proposalLink": _Text, "battery": _Text,
        "inverterType": _Text, "moduleType": _Text, "numberOfBatteries": _Text, "numberOfInverters": _Text,
        "numberOfModules": _Text, "closerName": _Text, "setterName": _Text, "dealer": _Text, "lender": _Text,
        "loanAmount": _Text, "hoaName": _Text, "hoaEmail": _Text, "hoaNumber": _Text, "notes": _Text,
        "inspectionNotes": _Text, "reInspectionResults": _Text, "inspectionResults": _Text,
        "hicAgreement": _Text, "hasBattery": bool, "hasChangesToAdders": bool, "hasHoa": bool,
        "inspectionRequired": bool, "installCompleted": bool, "m2Approved": bool, "hasOutstandingItems": bool,
        "permitRequired": bool, "plansetMatchesAsBuilt": bool, "scopeOfWorkPacket": bool, "lastModified": _Text,
        "createDate": _Text, "timeInCurrentStage": _Text, "cadCompleted": _Text, "cadRequested": _Text,
        "engineeringCompleted": _Text, "engineeringRequested": _Text, "expectedPermitDeliveryDate": _Text,
        "fundingSubmitted": _Text, "hoaApprovedDate": _Text, "inspectionRequested": _Text,
        "installComplete": _Text, "installedScheduled": _Text, "notesLastUpdated": _Text,
        "notesNextActivityDate": _Text, "ntpApproved": _Text, "ntpRequested": _Text, "permitReceived": _Text,
        "permitSubmitted": _Text, "reInspectionRequested": _Text, "reInstallScheduled": _Text,
        "reSignDate": _Text, "siteSurveyCompleted": _Text, "siteSurveyRequested": _Text,
        "redesignCompleteDate": _Text,
    },
)


class _EventOptions(TypedDict, total=False):
    # How the event passed the filter, if there is one: entered, in or left.
    filter: str
    # All changes in the installer's CRM up to this time were read before.
    asOf: str
    test: bool


class DealEvent(_EventOptions):
    """A change of a deal. In a deal.removed, data has the id only; its other values are None."""

    type: str
    id: str
    dealId: str
    timestamp: str
    sequence: int
    data: Deal
    # Each with field, from and to.
    changes: List[Mapping[str, Any]]


class EventPage(TypedDict):
    events: List[DealEvent]
    # The sequence to continue after, also when events is empty.
    next: int
    # The sequence of the newest event.
    last: int


class FileAccess(TypedDict):
    # Works without a token until expiresAt.
    url: str
    expiresAt: str
    name: str
    extension: str | None
    type: str
    size: int


class WebhookUrls(TypedDict):
    createURL: str | None
    updateURL: str | None


class Subscription(TypedDict):
    id: str
    url: str
    events: List[str]
    filter: str | Mapping[str, Any] | None
    changed: List[str] | None
    name: str | None
    # The filter applies to the events after this sequence.
    since: int
    createdAt: str
    # Since when nothing is sent, because the URL failed for days.
    switchedOffAt: str | None


class Differences(TypedDict):
    """What a copy lacks, and the event to follow from."""

    missing: List[int]
    stale: List[int]
    gone: List[int]
    last: int


class ApiError(Exception):
    """An error response. code is for programs, the message for people."""

    def __init__(self, status: int, headers: Message, text: bytes) -> None:
        try:
            body = json.loads(text)
        except ValueError:
            body = None
        # That of a proxy may be anything.
        body = body if isinstance(body, dict) else {}
        self.status = status
        self.code: str = body.get("code") or f"HTTP_{status}"
        self.errors: List[str] = body.get("errors") or []
        #: Name it when you ask about this request.
        self.request_id: Optional[str] = headers.get("X-Request-Id")
        #: Seconds until the next try; None if the response does not say.
        self.retry_after = _retry_after(headers.get("Retry-After"))
        after = re.search(r"[?&]after=(\d+)", _next_link(headers) or "")
        #: With the code GONE, some of the events are no longer available: read all deals again, then follow the
        #: events after this one, the newest. Otherwise None.
        self.continue_after = int(after[1]) if after else None
        message = body.get("message") or f"{status} {http.client.responses.get(status, '')}".strip()
        if 300 <= status < 400:
            message = f"Redirected to {headers.get('Location')}"
        details = f": {'; '.join(self.errors)}" if self.errors else ""
        super().__init__(f"{message}{details} (request {self.request_id or 'without id'})")


class NoResponseError(Exception):
    """No response: no connection, or none in time. __cause__ says why."""


class SignatureError(ValueError):
    """A webhook that must not be trusted."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    # urllib would send the token to whichever host a redirect names.
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


# A page has at most 16 MiB.
_LONGEST = 2**26


class PartnerDeals:
    """A client of the API. Methods raise ApiError or NoResponseError."""

    def __init__(
        self, url: str, token: str, *, timeout: float = 30, retries: int = 5, max_wait: float = 120
    ) -> None:
        """timeout is for one attempt. A Retry-After of more than max_wait seconds raises at once."""
        if not token:
            raise ValueError("A token is required")
        if not url.startswith(("https://", "http://")):
            raise ValueError("The URL must begin with https:// or http://")
        # A token that was read from a file ends with a line break.
        self._url, self._token = url.rstrip("/"), token.strip()
        self._timeout, self._retries, self._max_wait = timeout, retries, max_wait
        self._opener = urllib.request.build_opener(_NoRedirects)
        self.deals = _Deals(self)
        self.events = _Events(self)
        self.files = _Files(self)
        self.webhooks = _Webhooks(self)

    def _json(self, target: str, body: Any = None, *, method: Optional[str] = None, wait: float = 0) -> Any:
        return self._send(target, body, method=method, wait=wait)[0]

    def _send(
        self, target: str, body: Any = None, *, method: Optional[str] = None, wait: float = 0
    ) -> Tuple[Any, Message]:
        """Sends a request, again while that can help."""
        attempt = 0
        while True:
            delay: Optional[float] = None
            try:
                return self._attempt(target, body, method, self._timeout + wait)
            except ApiError as error:
                # Every call here may be repeated: creating a subscription again returns the existing one.
                if error.status not in (408, 429) and error.status < 500:
                    raise
                problem: Exception = error
                delay = error.retry_after
            except (OSError, http.client.HTTPException, zlib.error, ValueError) as error:
                problem = NoResponseError(f"No response from {self._url}: {error}")
                problem.__cause__ = error
            delay = 2.0**attempt if delay is None else delay
            if attempt >= self._retries or delay > self._max_wait:
                raise problem
            # Clients that failed together come back apart, and none before its time.
            time.sleep(delay * (1 + random.random() / 4))
            attempt += 1

    def _attempt(
        self, target: str, body: Any, method: Optional[str], timeout: float
    ) -> Tuple[Any, Message]:
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "Content-Type": "application/json",
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._url + target, data, headers, method=method)
        try:
            with self._opener.open(request, timeout=timeout) as response:
                text = _read(response, time.monotonic() + timeout)
                return (json.loads(text) if text else None), response.headers
        except urllib.error.HTTPError as error:
            text = _read(error, time.monotonic() + timeout)
            raise ApiError(error.code, error.headers, text) from None


class _Resource:
    def __init__(self, client: PartnerDeals) -> None:
        self._client = client


class _Deals(_Resource):
    def walk(self) -> Iterator[Deal]:
        """Reads all deals, in a stable order, also while deals arrive or are removed."""
        target: Optional[str] = "/api/deals?size=25"
        while target is not None:
            page, headers = self._client._send(target)
            yield from page["deals"]
            target = _next_link(headers)

    def search(self, **filter: Values) -> Iterator[Deal]:
        """Reads all deals that match: search(stage=["Sold", "Installed"]). With fields, only these of each."""
        cursor: Optional[str] = None
        while True:
            page = self._client._json("/api/deals/search" + _query({"limit": 100, **filter, "cursor": cursor}))
            yield from page["deals"]
            cursor = page["next"]
            if cursor is None:
                return

    def get(self, id: int) -> Deal:
        return cast(Deal, self._client._json(f"/api/deals/{id}"))


class _Events(_Resource):
    def list(
        self, after: int = 0, *, limit: int = 25, wait: int = 0, filter: Optional[str] = None
    ) -> EventPage:
        """Returns a page of events; after=-3 returns the newest three, wait waits up to 25 s for one."""
        query = _query({"after": after, "limit": limit, "wait": wait or None, "filter": filter})
        return cast(EventPage, self._client._json("/api/events" + query, wait=wait))

    def follow(
        self, after: int, *, limit: int = 100, wait: int = 25, filter: Optional[str] = None
    ) -> Iterator[EventPage]:
        """Follows the events after a sequence, page by page, without end.

        Store "next" of each page with its changes, and continue after it at the next start. Raises an ApiError with
        continue_after if some of the events are no longer available.
        """
        while True:
            started = time.monotonic()
            page = self.list(after, limit=limit, wait=wait, filter=filter)
            yield page
            # A process that shuts down responds at once. Without this pause, an idle client would ask in a loop.
            if not page["events"] and page["next"] == after and time.monotonic() - started < 1:
                time.sleep(1 + random.random())
            after = page["next"]

    def reconcile(self, copy: Mapping[int, Optional[str]]) -> Differences:
        """Compares a copy, given as lastModified by id, and returns how it differs."""
        held = sorted(copy)
        found: Differences = {"missing": [], "stale": [], "gone": [], "last": -1}
        after: Optional[int] = None
        at = 0
        while True:
            at = at if after is None else bisect.bisect_right(held, after, at)
            chunk = held[at : at + 1000]
            up_to = chunk[-1] if len(held) - at > len(chunk) else None
            deals = [{"id": id, "lastModified": copy[id]} for id in chunk]
            page = self._client._json("/api/events/reconcile", {"deals": deals, "after": after, "upTo": up_to})
            found["missing"] += page["missing"]
            found["stale"] += page["stale"]
            found["gone"] += page["gone"]
            if found["last"] < 0:
                found["last"] = page["last"]
            after = up_to if page["next"] is None else page["next"]
            if after is None:
                return found


class _Files(_Resource):
    def get(self, id: str) -> FileAccess:
        """Returns the metadata of a file, such as a deal's hicAgreement, and a URL to download it."""
        return cast(FileAccess, self._client._json(f"/api/files/{urllib.parse.quote(id, safe='')}"))


class _Webhooks(_Resource):
    def get(self) -> WebhookUrls:
        """Returns the URLs that receive all events."""
        return cast(WebhookUrls, self._client._json("/api/webhook"))

    def set(self, **urls: Optional[str]) -> WebhookUrls:
        """Sets createURL, updateURL or both; an omitted one stays, None clears it."""
        return cast(WebhookUrls, self._client._json("/api/webhook", urls))

    def list(self) -> List[Subscription]:
        return cast(List[Subscription], self._client._json("/api/webhooks")["subscriptions"])

    def create(
        self,
        url: str,
        *,
        events: Optional[Sequence[str]] = None,
        filter: Optional[str] = None,
        changed: Optional[Sequence[str]] = None,
        name: Optional[str] = None,
    ) -> Subscription:
        """Creates a subscription; the same again returns the existing one.

        filter has parameters of the search, such as stage=Sold&state=AZ; with changed, only events that change
        one of these fields are sent.
        """
        values = {"url": url, "events": events, "filter": filter, "changed": changed, "name": name}
        body = {key: value for key, value in values.items() if value is not None}
        return cast(Subscription, self._client._json("/api/webhooks", body))

    def delete(self, id: str) -> bool:
        """Deletes a subscription. Returns False if it does not exist."""
        try:
            self._client._json(f"/api/webhooks/{urllib.parse.quote(id, safe='')}", method="DELETE")
            return True
        except ApiError as error:
            if error.status == 404:
                return False
            raise


class _Headers(Protocol):
    def items(self) -> Iterable[Tuple[str, str]]: ...


def verify(
    body: bytes,
    headers: _Headers,
    secrets: Union[str, Sequence[str]],
    *,
    tolerance: float = 300,
    now: Optional[float] = None,
) -> DealEvent:
    """Verifies a webhook (Standard Webhooks) and returns its event, or raises SignatureError.

    body is the request's body exactly as received, headers may be those of any framework, and each secret
    begins with whsec_.
    """
    by_name = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp, signatures = (by_name[f"webhook-{part}"] for part in ("id", "timestamp", "signature"))
    except KeyError as error:
        raise SignatureError(f"The header {error.args[0]} is missing") from None
    sent_at = int(timestamp) if re.fullmatch(r"[0-9]{1,12}", timestamp) else None
    if sent_at is None or abs((time.time() if now is None else now) - sent_at) > tolerance:
        raise SignatureError(f"The timestamp is not within {tolerance} seconds of now")
    received = [signature.encode() for signature in signatures.split(" ")]
    signed = f"{id}.{timestamp}.".encode() + body
    valid = False
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        expected = b"v1," + base64.b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest())
        for signature in received:
            valid |= hmac.compare_digest(signature, expected)
    if not valid:
        raise SignatureError("Invalid signature")
    return cast(DealEvent, json.loads(body))


def parse_time(text: str) -> datetime:
    """Returns a time of the API. datetime.fromisoformat() reads no Z before Python 3.11."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _key(secret: str) -> bytes:
    # An empty key, of a variable that is not set, would accept any sender.
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) < 16:
        raise ValueError("The secret must be whsec_ and base64")
    return key


def _query(parameters: Mapping[str, Values]) -> str:
    pairs: List[Tuple[str, str]] = []
    for name, values in parameters.items():
        several = [values] if isinstance(values, (str, int, float, datetime)) else values or []
        pairs += [(name, _text(value)) for value in several]
    return f"?{urllib.parse.urlencode(pairs)}" if pairs else ""


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return str(value)


def _read(response: Any, deadline: float) -> bytes:
    """Reads a response to its end. The time-out of urllib is for each packet, not for all of them."""
    unzip = zlib.decompressobj(31) if response.headers.get("Content-Encoding") == "gzip" else None
    text = bytearray()
    while True:
        chunk = response.read1(65536) if hasattr(response, "read1") else response.read(65536)
        if not chunk:
            break
        text += chunk if unzip is None else unzip.decompress(chunk, _LONGEST)
        # Whoever answers in place of the portal may send one without end.
        if len(text) > _LONGEST or (unzip and unzip.unconsumed_tail):
            raise ValueError(f"the response is longer than {_LONGEST} bytes")
        if time.monotonic() > deadline:
            raise TimeoutError("the response took too long")
    if unzip and not unzip.eof:
        raise zlib.error("the response is cut off")
    return bytes(text)


def _next_link(headers: Message) -> Optional[str]:
    """Returns the path and query of the next page. The token is sent to no host but the configured one."""
    link = re.search(r'<(?:https?://[^/>]+)?([^>]+)>;\s*rel="next"', headers.get("Link", ""))
    # What does not begin with a slash would continue the name of the host.
    return "/" + link[1].lstrip("/") if link else None


def _retry_after(header: Optional[str]) -> Optional[float]:
    if header is None:
        return None
    if header.isdecimal():
        return float(header)
    try:
        at = email.utils.parsedate_to_datetime(header)
        return max(0.0, (at - datetime.now(timezone.utc)).total_seconds())
    except (TypeError, ValueError):
        return None
