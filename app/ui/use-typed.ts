import { useEffect, useRef, useState } from 'react'

/**
 * Connects a field to a value in the URL. React does not set the field while someone types: on a slow machine it renders, and
 * the URL changes, some letters late, and an older text would replace newer letters. Only a text that was not typed here, such
 * as after Back or when filters are cleared, is put into the field.
 */
export function useTyped(value: string, send: (text: string) => void) {
  const input = useRef<HTMLInputElement>(null)
  const typed = useRef(new Set<string>([value]))
  const [text, setText] = useState(value)
  const show = (shown: string) => {
    setText(shown)
    if (input.current !== null && input.current.value !== shown) input.current.value = shown
  }
  useEffect(() => {
    if (!typed.current.has(value)) show(value)
  }, [value])
  useEffect(() => {
    const forget = () => typed.current.clear()
    window.addEventListener('popstate', forget)
    return () => window.removeEventListener('popstate', forget)
  }, [])
  return {
    /** The field: not controlled, with `value` as its first text. */
    input,
    /** What the field shows, for what stands beside it. */
    text,
    type(next: string) {
      typed.current.add(value).add(next)
      show(next)
      send(next)
    },
    onBlur() {
      typed.current.clear()
      show(value)
    },
  }
}
