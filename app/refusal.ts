import { ApiError, statusOf } from '#server/errors.ts'

/**
 * Returns a 415 error if the POST request has another content type, otherwise null. The origin must already
 * be verified.
 */
export function contentTypeProblem(request: Request, type: string): ApiError | null {
  if (request.headers.get('content-type')?.split(';')[0]!.trim().toLowerCase() === type) return null
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', `The body must be ${type}`)
}

/** Returns the error as a response. */
export function answerRefusal({ code, message, errors, headers }: ApiError): Response {
  return Response.json(
    { code, message, errors },
    { status: statusOf[code], headers: { ...headers, 'Cache-Control': 'no-store' } },
  )
}
