'use client'

import { useEffect, useState } from 'react'

/** The value once it has stayed the same for `ms` milliseconds: for what is not to be asked at each letter. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
