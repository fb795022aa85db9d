/** Repeats a request while the process responds that it is too busy (503). */
export async function untilTaken<Answer extends { status: number | string }>(
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer.status !== 503) return answer
  }
}
