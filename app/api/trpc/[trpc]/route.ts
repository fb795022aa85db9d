import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { answerRefusal, contentTypeProblem } from '#app/refusal.ts'
import { browserContext } from '#app/trpc-server.ts'
import { batchMax, requestAnswerMaxBytes } from '#server/access/answer-size.ts'
import { api } from '#server/api.ts'
import { ApiError, databaseProblem, errorName, toApiError } from '#server/errors.ts'
import { largestAnswerOf } from '#server/http/largest-answer.ts'
import { sharedServices } from '#server/runtime/services.ts'

const endpoint = '/api/trpc'

async function answer(request: Request): Promise<Response> {
  const refusal =
    (request.method === 'POST' ? contentTypeProblem(request, 'application/json') : null) ??
    batchProblem(request)
  if (refusal !== null) return answerRefusal(refusal)
  return fetchRequestHandler({
    endpoint,
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

/** Returns a 400 error if the batch's responses could be too large in total, otherwise null. */
function batchProblem({ url }: Request): ApiError | null {
  const names = decodeURIComponent(new URL(url).pathname.slice(endpoint.length + 1)).split(',')
  return largestAnswerOf(names.slice(0, batchMax)) <= requestAnswerMaxBytes
    ? null
    : new ApiError('BAD_REQUEST', 'The responses to this batch could be too large: send fewer calls')
}

/** Returns the `Retry-After` header with the longest delay of a batch. */
function retryAfter(errors: readonly unknown[]): Record<string, string> {
  const waits = errors.flatMap((error) => Number(toApiError(error).headers['Retry-After'] ?? []))
  return waits.length === 0 ? {} : { 'Retry-After': String(Math.max(...waits)) }
}

export { answer as GET, answer as POST }
