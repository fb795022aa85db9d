import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { answerRefusal, contentTypeProblem } from '#app/refusal.ts'
import { browserContext } from '#app/trpc-server.ts'
import { api } from '#server/api.ts'
import { databaseProblem, errorName, toApiError } from '#server/errors.ts'
import { sharedServices } from '#server/runtime/services.ts'

// No page sends larger batches; they would only keep the server busy.
const batchMax = 10

async function answer(request: Request): Promise<Response> {
  const refusal = request.method === 'POST' ? contentTypeProblem(request, 'application/json') : null
  if (refusal !== null) return answerRefusal(refusal)
  return fetchRequestHandler({
    endpoint: '/api/trpc',
    req: request,
    router: api,
    createContext: browserContext,
    maxBatchSize: batchMax,
    responseMeta: ({ errors }) => ({
      headers: new Headers({ 'Cache-Control': 'no-store', ...retryAfter(errors) }),
    }),
    onError({ error, path }) {
      const problem = databaseProblem(error)
      if (problem !== null) sharedServices().log.error({ path }, problem)
      else if (toApiError(error).code === 'INTERNAL_SERVER_ERROR')
        sharedServices().log.error({ path, error: errorName(error) }, 'procedure failed')
    },
  })
}

/** Returns the `Retry-After` header: the longest wait of a batch. */
function retryAfter(errors: readonly unknown[]): Record<string, string> {
  const waits = errors.flatMap((error) => Number(toApiError(error).headers['Retry-After'] ?? []))
  return waits.length === 0 ? {} : { 'Retry-After': String(Math.max(...waits)) }
}

export { answer as GET, answer as POST }
