'use client'

import { Failure } from '#app/ui/failure.tsx'

/** What there is to see inside the frame when a page cannot be shown. */
export default function PageError({ error, retry }: { error: unknown; retry: () => void }) {
  return <Failure error={error} retry={retry} />
}
