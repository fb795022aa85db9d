import { useLayoutEffect } from 'react'
/** Returns true if nothing specific has the focus: only the document, or the page as a whole. */
export const isFocusFree = () =>
  document.activeElement === document.body || document.activeElement?.id === 'content'

/** Returns true if the target accepts text, so that letters must not act as shortcuts. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
  )
}

/** Returns true if the element may get the focus back: not if another dialog has opened in the meantime. */
export function canRestoreFocus(opener: Element | null): opener is HTMLElement {
  const dialog = document.activeElement?.closest('[role=dialog], [role=alertdialog]')
  return opener instanceof HTMLElement && (dialog == null || dialog.contains(opener))
}

/** Handles keys outside of fields, dialogs and menus. `onKey` returns true if it handled the key. */
export function useShortcut(onKey: (key: string, event: KeyboardEvent) => boolean): void {
  // A layout effect, so that a key never reaches the handler of a page that is no longer visible.
  useLayoutEffect(() => {
    function listen(event: KeyboardEvent) {
      const { key, ctrlKey, metaKey, altKey, target, defaultPrevented } = event
      if (defaultPrevented || ctrlKey || metaKey || altKey || isTyping(target)) return
      if (document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null) return
      if (onKey(key.length === 1 ? key.toLowerCase() : key, event)) event.preventDefault()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  })
}

export function Key({ children }: { children: string }) {
  return (
    <kbd className="inline-grid h-5 min-w-5 place-items-center rounded border border-line bg-sunken px-1 font-sans text-xs text-ink-soft">
      {children}
    </kbd>
  )
}

export function Keys({ keys }: { keys: string[] }) {
  return (
    <span className="inline-flex gap-1">
      {keys.map((key) => (
        <Key key={key}>{key}</Key>
      ))}
    </span>
  )
}

/** Returns the label of the platform's command key. */
export const commandKey = (isMac: boolean) => (isMac ? '⌘' : 'Ctrl')
