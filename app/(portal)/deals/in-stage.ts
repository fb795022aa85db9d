/** Returns how long a deal has been in its stage at least, by what the portal saw: `At least 3 days`. */
export const seenInStage = (duration: string) =>
  duration.startsWith('under') ? 'Just now' : `At least ${duration}`
