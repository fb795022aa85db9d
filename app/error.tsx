'use client'

import { Failure } from './ui/failure.tsx'

/** Shows that a page failed to load, without the frame. */
export default function PageError({ error }: { error: unknown }) {
  return (
    <main className="grid min-h-dvh place-items-center">
      <Failure error={error} retry={() => window.location.reload()} />
    </main>
  )
}
