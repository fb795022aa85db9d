import { answerRefusal, contentTypeProblem } from '#app/refusal.ts'
import { signedInProcedures } from '#app/trpc-server.ts'
import { toApiError } from '#server/protocol/errors.ts'

/** What the receiver of a slice answers: the bytes received so far, and whether these were the ones that were due. */
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
 * Hands the slice of a file that begins at `?offset=` to `append`. Answers with the bytes received; with status 409 when
 * another slice is due. Reads no byte of somebody who is not signed in.
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
