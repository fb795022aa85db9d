import { answerRefusal, contentTypeProblem } from '#app/refusal.ts'
import { procedures } from '#app/trpc-server.ts'
import { toRefusal } from '#server/protocol/errors.ts'

/** Receives the slice of an import's file that begins at `?offset=`; 409 when another is due. Both return the bytes received. */
export async function POST(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  const refusal = contentTypeProblem(request, 'application/octet-stream')
  if (refusal !== null) return answerRefusal(refusal)
  try {
    const { imports } = await procedures()
    const offset = Number(new URL(request.url).searchParams.get('offset') ?? NaN)
    const { receivedBytes, isTaken } = await imports.append({
      id: Number((await params).id),
      offset,
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
