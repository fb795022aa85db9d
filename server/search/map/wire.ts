/** Deals and their total amount in dollars. */
export interface Placed {
  count: number
  amount: number
}

/** The matching deals of a county. */
export interface CountyFigure extends Placed {
  /** FIPS code of five digits, as in atlases. */
  id: string
  /** `Maricopa, AZ`. */
  place: string
  /** `Arizona`. */
  state: string
}

/** The locations of the matching deals. */
export interface DealMap {
  /** Counties, most deals first. */
  counties: CountyFigure[]
  /** Deals without usable coordinates. */
  unplaced: Placed
  /** Whether there may be more: too many deals match to read all. */
  isMore: boolean
  /** ISO 8601: the time of the counts if they are older than the list; null if current. */
  asOf: string | null
}

/** A deal on the map. */
export interface DealPoint {
  id: string
  dealname: string | null
  firstName: string | null
  lastName: string | null
  latitude: number
  longitude: number
  stage: string | null
  amount: number | null
}

/** Deals on the map. */
export interface DealPoints {
  deals: DealPoint[]
  /** Whether there are more than these. */
  isMore: boolean
}
