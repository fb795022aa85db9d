'use client'

import { Failure } from '#app/ui/failure.tsx'

/** Shows that a page failed to load. The header and navigation stay. */
export default function PageError({ error, retry }: { error: unknown; retry: () => void }) {
  return <Failure error={error} retry={retry} />
}
