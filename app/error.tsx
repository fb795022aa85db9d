'use client'

import { button } from './ui/button-styles.ts'

/**
 * Shows that a page failed to load, without header and navigation. Small, because every page loads this
 * component.
 */
export default function PageError({ error }: { error: Error & { digest?: string } }) {
  return (
    <main className="grid min-h-dvh place-items-center text-center">
      <div className="max-w-md px-6">
        <h1 className="text-base font-semibold">Could not load this page</h1>
        <p className="mt-1.5 text-pretty text-ink-soft">
          Nothing is lost. Check your connection, and try again in a moment.
        </p>
        {error.digest !== undefined && (
          <p className="mt-2 text-xs text-ink-soft">If you contact us, mention error {error.digest}.</p>
        )}
        <button type="button" onClick={() => window.location.reload()} className={`mt-6 ${button.primary}`}>
          Try again
        </button>
      </div>
    </main>
  )
}
