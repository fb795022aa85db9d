'use client'

import { LoaderCircle, Search, X } from 'lucide-react'
import { useQueryState } from 'nuqs'
import { type RefObject, useEffect, useRef } from 'react'
import { isTyping } from '#app/ui/focus.ts'
import { Key } from '#app/ui/key.tsx'
import { navigateAfter } from '#app/ui/link.tsx'
import { dealsParsers } from './query.ts'

/** Searches while typing. `/` focuses it, Esc clears and then leaves it, the down arrow moves to the rows. */
export function SearchField({ isBusy, toRows }: { isBusy: boolean; toRows: () => void }) {
  const [q, setQ] = useQueryState('q', dealsParsers.q)
  const input = useRef<HTMLInputElement>(null)

  useSlash(input)
  const type = (text: string) => navigateAfter(setQ(text))

  return (
    <search className="relative min-w-0 flex-1 md:max-w-sm md:min-w-52">
      {isBusy ? (
        <LoaderCircle aria-hidden="true" className={`${icon} animate-spin`} />
      ) : (
        <Search aria-hidden="true" className={icon} />
      )}
      <input
        ref={input}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        aria-label="Search deals"
        aria-keyshortcuts="/"
        placeholder="Name, address, phone, e-mail, ID…"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={200}
        value={q}
        onChange={({ target }) => type(target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Escape') {
            if (q === '') input.current?.blur()
            else type('')
          } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
            event.preventDefault()
            toRows()
          }
        }}
        className="touch h-9 w-full rounded-lg border border-control bg-surface pr-9 pl-9 text-base placeholder:text-ink-soft sm:text-sm"
      />
      <span className="absolute inset-y-0 right-2 flex items-center">
        {q === '' ? (
          <span aria-hidden="true" className="pointer-events-none max-md:hidden">
            <Key>/</Key>
          </span>
        ) : (
          <button
            type="button"
            aria-label="Clear search"
            onClick={() => {
              type('')
              input.current?.focus()
            }}
            className="-mr-2 grid size-6 touch place-items-center rounded text-ink-soft hover:bg-sunken hover:text-ink"
          >
            <X aria-hidden="true" className="size-4" />
          </button>
        )}
      </span>
    </search>
  )
}

/** Focuses the input when `/` is pressed anywhere on the page, except in a field, dialog or menu. */
function useSlash(input: RefObject<HTMLInputElement | null>) {
  useEffect(() => {
    function listen(event: KeyboardEvent) {
      const { key, ctrlKey, metaKey, altKey, target, defaultPrevented } = event
      if (key !== '/' || ctrlKey || metaKey || altKey || defaultPrevented || isTyping(target)) return
      if (target instanceof Element && target.closest('[role=dialog], [role=menu]') !== null) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [input])
}

const icon = 'pointer-events-none absolute inset-y-0 left-3 my-auto size-4 text-ink-soft'
