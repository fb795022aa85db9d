'use client'

import { Component, type ReactNode } from 'react'
import { isOffline } from '../cached-pages.ts'
import { button } from './button.ts'
import { isUnloaded } from './unloaded.ts'

/** Keeps the page when a part of it that is loaded when opened cannot be loaded, and offers to try again. */
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
        {isOffline() ? 'You are offline.' : 'Could not load this part of the page.'}
        <button
          type="button"
          className={button.primary}
          // What failed once is not asked for again by the same document.
          onClick={() => navigator.onLine && window.location.reload()}
        >
          Try again
        </button>
        <button type="button" className={button.plain} onClick={this.props.onClose}>
          Close
        </button>
      </div>
    )
  }
}
