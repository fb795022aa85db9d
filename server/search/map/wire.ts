/** Number of deals and their total amount in dollars. */
export interface Placed {
  count: number
  amount: number
}

/** Matching deals in a county. */
export interface CountyFigure extends Placed {
  /** Five-digit FIPS code. */
  id: string
  /** `Maricopa, AZ`. */
  place: string
  /** `Arizona`. */
  state: string
}

/** Locations of the matching deals. */
export interface DealMap {
  /** Counties with matching deals, most deals first. */
  counties: CountyFigure[]
  /** Deals without usable coordinates. */
  unplaced: Placed
  /** True if there may be more matching deals than could be read. */
  isMore: boolean
  /** Time of the counts (ISO 8601) if older than the list, or null if current. */
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
  /** True if there are more deals than these. */
  isMore: boolean
}
