'use client'

import { Failure } from './ui/failure.tsx'

/** What there is to see when not even the frame can be shown. */
export default function PageError({ error }: { error: unknown }) {
  return (
    <main className="grid min-h-dvh place-items-center">
      <Failure error={error} retry={() => window.location.reload()} />
    </main>
  )
}
