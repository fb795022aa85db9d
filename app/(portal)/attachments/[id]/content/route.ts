import { answerSlice } from '#app/answer-slice.ts'

/** Receives a slice of a file attached to a message. */
export async function POST(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  return answerSlice(request, async ({ messages }, slice) =>
    messages.appendFile({ id: (await params).id, ...slice }),
  )
}
