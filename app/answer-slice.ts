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
  /** ID of the file in the URL. */
  id: string
  offset: number
  bytes: Uint8Array<ArrayBuffer>
}

type Procedures = Awaited<ReturnType<typeof signedInProcedures>>

/**
 * Returns a route handler that passes the file slice at `?offset=` to `append`. The handler responds with the
 * number of bytes received, or 409 if another slice is expected. It does not read the body before the user is
 * authenticated.
 */
export const sliceRoute =
  (append: (procedures: Procedures, slice: Slice) => Promise<Received>) =>
  async (request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> => {
    const refusal = contentTypeProblem(request, 'application/octet-stream')
    if (refusal !== null) return answerRefusal(refusal)
    try {
      const procedures = await signedInProcedures()
      const { receivedBytes, isTaken } = await append(procedures, {
        id: (await params).id,
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
