import { ApiError, statusOf } from '#server/errors.ts'

/** Returns the 415 error for a POST with another content type, or null. The origin has been checked before. */
export function contentTypeProblem(request: Request, type: string): ApiError | null {
  if (request.headers.get('content-type')?.split(';')[0]!.trim().toLowerCase() === type) return null
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', `The body must be ${type}`)
}

/** Responds with a rejection. */
export function answerRefusal({ code, message, errors, headers }: ApiError): Response {
  return Response.json(
    { code, message, errors },
    { status: statusOf[code], headers: { ...headers, 'Cache-Control': 'no-store' } },
  )
}
