/** Asks again for as long as a process answers that it is too busy (503): it takes the request later. */
export async function untilTaken<Answer extends { status: number | string }>(
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer.status !== 503) return answer
  }
}
