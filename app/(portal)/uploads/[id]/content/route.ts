import { answerSlice } from '#app/answer-slice.ts'

/** Receives a slice of a deal's file. */
export async function POST(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  return answerSlice(request, async ({ files }, slice) => files.append({ id: (await params).id, ...slice }))
}
