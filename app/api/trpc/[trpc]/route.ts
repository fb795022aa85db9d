import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { browserContext } from '#app/trpc-server.ts'
import { api } from '#server/api.ts'
import { Refusal, statusOf, toRefusal } from '#server/errors.ts'
import { sharedServices } from '#server/services.ts'

// More than a page asks at once is somebody trying to keep the server busy.
const batchMax = 10

async function answer(request: Request): Promise<Response> {
  const refusal = request.method === 'POST' ? refusePost(request) : null
  if (refusal !== null) {
    const { code, message, errors } = refusal
    return Response.json({ code, message, errors }, { status: statusOf[code], headers: { 'Cache-Control': 'no-store' } })
  }
  return fetchRequestHandler({
    endpoint: '/api/trpc',
    req: request,
    router: api,
    createContext: browserContext,
    maxBatchSize: batchMax,
    responseMeta: () => ({ headers: new Headers({ 'Cache-Control': 'no-store' }) }),
    onError({ error, path }) {
      if (toRefusal(error).code === 'INTERNAL_SERVER_ERROR') sharedServices().log.error({ path, error: (error.cause ?? error).name }, 'procedure failed')
    },
  })
}

/** What changes something comes from our own pages and as JSON: browsers send forms of other sites with our cookies too. */
function refusePost(request: Request): Refusal | null {
  const publicUrl = new URL(sharedServices().config.publicUrl)
  const own = [publicUrl.origin, `${publicUrl.protocol}//${request.headers.get('host')}`]
  if (!own.includes(request.headers.get('origin') ?? '')) return new Refusal('FORBIDDEN', 'This is only for the pages of this site')
  if (!/^application\/json *(?:;|$)/i.test(request.headers.get('content-type') ?? '')) {
    return new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json')
  }
  return null
}

export { answer as GET, answer as POST }
