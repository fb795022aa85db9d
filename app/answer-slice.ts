import { answerRefusal, contentTypeProblem } from '#app/refusal.ts'
import { signedInProcedures } from '#app/trpc-server.ts'
import { toApiError } from '#server/errors.ts'

/**
 * Result of appending a slice: the number of bytes received so far, and whether the slice was at the expected
 * offset.
 */
interface Received {
  receivedBytes: number
  isTaken: boolean
}

interface Slice {
  offset: number
  bytes: Uint8Array<ArrayBuffer>
}

type Procedures = Awaited<ReturnType<typeof signedInProcedures>>

/**
 * Passes the file slice at `?offset=` to `append`. Responds with the number of bytes received, or 409 if
 * another slice is expected. Does not read the body before the user is authenticated.
 */
export async function answerSlice(
  request: Request,
  append: (procedures: Procedures, slice: Slice) => Promise<Received>,
): Promise<Response> {
  const refusal = contentTypeProblem(request, 'application/octet-stream')
  if (refusal !== null) return answerRefusal(refusal)
  try {
    const procedures = await signedInProcedures()
    const { receivedBytes, isTaken } = await append(procedures, {
      offset: Number(new URL(request.url).searchParams.get('offset') ?? NaN),
      bytes: new Uint8Array(await request.arrayBuffer()),
    })
    return Response.json(
      { receivedBytes },
      { status: isTaken ? 200 : 409, headers: { 'Cache-Control': 'no-store' } },
    )
  } catch (error) {
    return answerRefusal(toApiError(error))
  }
}
