import { answerSlice } from '#app/answer-slice.ts'

/** Receives a slice of an imported file. */
export async function POST(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  return answerSlice(request, async ({ imports }, slice) =>
    imports.append({ id: Number((await params).id), ...slice }),
  )
}
