import { Refusal, statusOf } from '#server/errors.ts'
import { sharedServices } from '#server/services.ts'

/** What changes something comes from our own pages and as `type`: browsers send forms of other sites with our cookies too. */
export function refusePost(request: Request, type: string): Refusal | null {
  const publicUrl = new URL(sharedServices().config.publicUrl)
  const own = [publicUrl.origin, `${publicUrl.protocol}//${request.headers.get('host')}`]
  if (!own.includes(request.headers.get('origin') ?? '')) return new Refusal('FORBIDDEN', 'This is only for the pages of this site')
  if (request.headers.get('content-type')?.split(';')[0]!.trim().toLowerCase() !== type) return new Refusal('UNSUPPORTED_MEDIA_TYPE', `The body must be ${type}`)
  return null
}

/** The refusal as an answer. */
export function answerRefusal({ code, message, errors }: Refusal): Response {
  return Response.json({ code, message, errors }, { status: statusOf[code], headers: { 'Cache-Control': 'no-store' } })
}
