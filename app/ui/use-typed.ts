import { useEffect, useRef, useState } from 'react'

/**
 * Connects a text field to a value in the URL. The field is not controlled: on a slow machine the URL changes some
 * letters late, and an older value would replace newer letters. Only a value that was not typed here, such as after
 * Back or when filters are cleared, is put into the field.
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
    /** The uncontrolled field, with `value` as its default. */
    input,
    /** The text in the field. */
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
