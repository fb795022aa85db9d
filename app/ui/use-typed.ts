'use client'

import { useEffect, useState, useRef } from 'react'

/**
 * Connects a text field to a value in the URL. The field is uncontrolled: on slow machines, the URL lags
 * behind typing, and an old value would overwrite new letters. The field only takes over values that were not
 * typed here, for instance after Back or when filters are cleared.
 */
export function useTyped(value: string, send: (text: string) => void) {
  const input = useRef<HTMLInputElement>(null)
  const typed = useRef(new Set<string>([value]))
  const [text, setText] = useState(value)
  const show = (next: string) => {
    setText(next)
    if (input.current !== null && input.current.value !== next) input.current.value = next
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
    input,
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

/** Returns the value after it has not changed for `ms` milliseconds. Used to debounce typing. */
export function useSettled<T>(value: T, ms = 250): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
