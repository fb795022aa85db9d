'use client'

import { CloudOff } from 'lucide-react'
import { Component, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'
import { isOffline } from './offline.ts'

/** Shows that a page failed to load, with the digest that identifies the error in the log. */
export function Failure({ error, retry }: { error: unknown; retry: () => void }) {
  const isUnreachable = isUnloaded(error) && isOffline()
  const digest = error instanceof Error && 'digest' in error ? String(error.digest) : null
  return (
    <Notice
      icon={CloudOff}
      level={1}
      title={isUnreachable ? "You're offline" : 'Could not load this page'}
      action={
        <Button onClick={retry} look="primary">
          Try again
        </Button>
      }
    >
      {isUnreachable
        ? "This part didn't load. Try again when you're back online."
        : 'Something went wrong on our side. Nothing is lost; try again in a moment.'}
      {digest !== null && (
        <span className="mt-2 block text-xs">If you contact us, mention error {digest}.</span>
      )}
    </Notice>
  )
}

/** If a part that is loaded on demand fails, keeps the rest of the page and offers a retry. */
export class PartBoundary extends Component<
  { children: ReactNode; onClose: () => void },
  { error: unknown }
> {
  override state = { error: null as unknown }

  static getDerivedStateFromError = (error: unknown) => ({ error })

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    if (!isUnloaded(error)) throw error
    return (
      <div
        role="alert"
        className="fixed inset-x-4 bottom-16 z-50 mx-auto flex w-fit flex-wrap items-center gap-3 rounded-xl border border-line bg-surface p-4 shadow-lg"
      >
        {isOffline() ? "You're offline." : "This part didn't load."}
        <Button
          // Browsers do not repeat a failed import in the same document, so reload the page.
          onClick={() => navigator.onLine && window.location.reload()}
          look="primary"
        >
          Try again
        </Button>
        <Button onClick={this.props.onClose}>Close</Button>
      </div>
    )
  }
}

/** Returns true if a part of the page could not be loaded, usually because of the network. */
const isUnloaded = (error: unknown) =>
  error instanceof Error && /chunk/i.test(`${error.name} ${error.message}`)
