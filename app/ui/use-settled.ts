'use client'

import { useEffect, useState } from 'react'

/** Returns the value after it has not changed for `ms` milliseconds. Used to debounce typing. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
