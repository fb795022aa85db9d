import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { type ApiError, statusOf } from '../errors.ts'

export function sendJson(response: ServerResponse, status: number, json: string): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) })
    .end(json)
}

export function apiErrorJson({ code, message, errors }: ApiError): string {
  return JSON.stringify({ code, message, errors })
}

/** Sets these headers. */
export function setHeaders(response: ServerResponse, headers: OutgoingHttpHeaders): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value!)
}

/** Sends a rejection with these headers and those set on the response. */
export function sendApiError(
  response: ServerResponse,
  refusal: ApiError,
  headers: OutgoingHttpHeaders = {},
): void {
  if (response.headersSent) {
    // The response has begun: closing the connection is the only way to show that it is incomplete.
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
  sendJson(response, statusOf[refusal.code], apiErrorJson(refusal))
}
