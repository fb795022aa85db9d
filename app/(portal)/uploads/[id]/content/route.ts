import { answerRefusal, contentTypeProblem } from '#app/refusal.ts'
import { procedures } from '#app/trpc-server.ts'
import { toRefusal } from '#server/protocol/errors.ts'

/** Receives the slice of a file that begins at `?offset=`; 409 when another is due. Both return the bytes received. */
export async function POST(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  const refusal = contentTypeProblem(request, 'application/octet-stream')
  if (refusal !== null) return answerRefusal(refusal)
  try {
    const { files } = await procedures()
    const { receivedBytes, isTaken } = await files.append({
      id: (await params).id,
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
