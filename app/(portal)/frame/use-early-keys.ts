import { useCallback, useEffect, useRef } from 'react'

/**
 * Keeps what is typed while the palette loads. `begin` starts, `take` returns the text and ends, `drop` ends
 * without it.
 */
export function useEarlyKeys() {
  const early = useRef<string | null>(null)
  useEffect(() => {
    function listen(event: KeyboardEvent) {
      const { key, ctrlKey, metaKey, altKey } = event
      if (early.current === null || ctrlKey || metaKey || altKey) return
      if (key === 'Backspace') early.current = early.current.slice(0, -1)
      else if ([...key].length === 1) early.current += key
      else return
      event.preventDefault()
      event.stopPropagation()
    }
    document.addEventListener('keydown', listen, true)
    return () => document.removeEventListener('keydown', listen, true)
  }, [])
  const begin = useCallback(() => void (early.current = ''), [])
  const drop = useCallback(() => void (early.current = null), [])
  const take = useCallback(() => {
    const text = early.current ?? ''
    early.current = null
    return text
  }, [])
  return { begin, take, drop }
}
