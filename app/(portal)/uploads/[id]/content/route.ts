import { answerSlice } from '#app/answer-slice.ts'
import { procedures } from '#app/trpc-server.ts'

/** Receives a slice of a deal's file. */
export async function POST(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  return answerSlice(request, async (slice) => {
    const { files } = await procedures()
    return files.append({ id: (await params).id, ...slice })
  })
}
