import { useEffect } from 'react'
import { isTyping } from './focus.ts'

/**
 * Handles keys pressed outside of fields, dialogs and menus, without Ctrl, ⌘ or Alt. `onKey` gets letters in
 * lower case and returns true if it handled the key.
 */
export function useShortcut(onKey: (key: string, event: KeyboardEvent) => boolean): void {
  useEffect(() => {
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
