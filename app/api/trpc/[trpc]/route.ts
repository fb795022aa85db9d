import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { answerRefusal, refuseType } from '#app/refusal.ts'
import { browserContext } from '#app/trpc-server.ts'
import { api } from '#server/api.ts'
import { toRefusal } from '#server/errors.ts'
import { sharedServices } from '#server/services.ts'

// More than a page asks at once is somebody trying to keep the server busy.
const batchMax = 10

async function answer(request: Request): Promise<Response> {
  const refusal = request.method === 'POST' ? refuseType(request, 'application/json') : null
  if (refusal !== null) return answerRefusal(refusal)
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

export { answer as GET, answer as POST }
