'use client'

import './globals.css'
import { button } from './ui/button-styles.ts'

/**
 * Shows that the application failed to load. Prerendered without scripts, so a link replaces the retry
 * button.
 */
export default function GlobalError() {
  return (
    <html lang="en">
      <body className="grid min-h-dvh place-items-center font-sans text-sm">
        <title>Partner Deals</title>
        <main className="max-w-md px-6 text-center">
          <h1 className="text-base font-semibold">Could not load Partner Deals</h1>
          <p className="mt-1.5 mb-6 text-pretty text-ink-soft">
            Something went wrong on our side. Nothing is lost; try again in a moment.
          </p>
          <a href="" className={button.primary}>
            Try again
          </a>
        </main>
      </body>
    </html>
  )
}
