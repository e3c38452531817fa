import type { Sentence } from '../texts/index.ts'
/** A page in the navigation of the whole service. */
export interface ServicePage {
  readonly path: string
  readonly label: Sentence
  /** The path of its SVG icon, in a view box of 16 by 16. */
  readonly icon: string
  /** Whether operators who reach only some tenants see the page too. Default: `false`. */
  readonly isForAll?: boolean
}

/**
 * The pages in the navigation of the whole service, in order. `routes/index.ts` leaves out those
 * without a route.
 */
export const servicePages: readonly ServicePage[] = [
  {
    path: '/console',
    label: 'Overview',
    icon: 'M2.5 7 8 2.5 13.5 7v6.5h-4V10h-3v3.5h-4z',
    isForAll: true,
  },
  {
    path: '/console/search',
    label: 'Search everywhere',
    icon: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.500 14 14',
    isForAll: true,
  },
  {
    path: '/console/tenants',
    label: 'Tenants',
    icon: 'M2.5 13.5v-11h6v11m0-7h5v7M1.5 13.5h13M5 5.5h1M5 8.5h1M11 9.5h.5',
    isForAll: true,
  },
  {
    path: '/console/keys',
    label: 'API keys',
    icon: 'M8 8.5a3 3 0 1 1-6 0 3 3 0 0 1 6 0zm0 0h6.5v2.5M11.5 8.5v2',
  },
  {
    path: '/console/operators',
    label: 'Operators',
    icon: 'M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.4-2.6 2.4-4 5-4s4.6 1.4 5 4',
  },
  {
    path: '/console/audit',
    label: 'Audit log',
    icon: 'M3.5 2.500h9v11h-9zM6 5.500h4M6 8h4M6 10.500h2.5',
  },
  {
    path: '/console/system',
    label: 'System',
    icon: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.5M5 11h.5',
  },
]
