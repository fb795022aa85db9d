import { answerRefusal, contentTypeProblem } from '#app/refusal.ts'
import { toRefusal } from '#server/protocol/errors.ts'

/** What the receiver of a slice answers: the bytes received so far, and whether these were the ones that were due. */
interface Received {
  receivedBytes: number
  isTaken: boolean
}

/**
 * Hands the slice of a file that begins at `?offset=` to `append`. Answers with the bytes received; with status 409 when
 * another slice is due.
 */
export async function answerSlice(
  request: Request,
  append: (slice: { offset: number; bytes: Uint8Array<ArrayBuffer> }) => Promise<Received>,
): Promise<Response> {
  const refusal = contentTypeProblem(request, 'application/octet-stream')
  if (refusal !== null) return answerRefusal(refusal)
  try {
    const { receivedBytes, isTaken } = await append({
      offset: Number(new URL(request.url).searchParams.get('offset') ?? NaN),
      bytes: new Uint8Array(await request.arrayBuffer()),
    })
    return Response.json(
      { receivedBytes },
      { status: isTaken ? 200 : 409, headers: { 'Cache-Control': 'no-store' } },
    )
  } catch (error) {
    return answerRefusal(toRefusal(error))
  }
}
