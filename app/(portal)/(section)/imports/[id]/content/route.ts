import { answerSlice } from '#app/answer-slice.ts'
import { procedures } from '#app/trpc-server.ts'

/** Receives a slice of an import's file. */
export async function POST(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  return answerSlice(request, async (slice) => {
    const { imports } = await procedures()
    return imports.append({ id: Number((await params).id), ...slice })
  })
}
