import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { type ApiError, statusOf } from '../errors.ts'

export function sendJson(response: ServerResponse, status: number, json: string): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) })
    .end(json)
}

export function apiErrorJson({ code, message, errors }: ApiError): string {
  return JSON.stringify({ code, message, errors })
}

export function setHeaders(response: ServerResponse, headers: OutgoingHttpHeaders): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value!)
}

/** Sends an error with the given headers and the headers already set on the response. */
export function sendApiError(
  response: ServerResponse,
  refusal: ApiError,
  headers: OutgoingHttpHeaders = {},
): void {
  if (response.headersSent) {
    // The response has already started, so only closing the connection shows that it is incomplete.
    response.destroy()
    return
  }
  for (const name of [
    'ETag',
    'Content-Encoding',
    'Content-Disposition',
    'Link',
    'Last-Modified',
    'Accept-Ranges',
  ])
    response.removeHeader(name)
  setHeaders(response, headers)
  setHeaders(response, refusal.headers)
  response.setHeader('Cache-Control', 'no-store')
  if (refusal.code === 'SERVICE_UNAVAILABLE' && opensPage(response.req)) sendUnavailablePage(response)
  else sendJson(response, statusOf[refusal.code], apiErrorJson(refusal))
}

/** Returns true if a browser is opening a page, in which case the user would see a JSON response. */
const opensPage = ({ headers, url }: IncomingMessage) =>
  headers['sec-fetch-mode'] === 'navigate' && url?.startsWith('/api/') === false

/** Sends a self-contained page that retries the requested page every 5 seconds. */
function sendUnavailablePage(response: ServerResponse): void {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="5">
<meta name="color-scheme" content="light dark"><title>Partner Deals</title>
<h1>Partner Deals is busy</h1>
<p>This page reloads automatically in a few seconds.</p>
`
  response
    .writeHead(503, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': Buffer.byteLength(html) })
    .end(html)
}
