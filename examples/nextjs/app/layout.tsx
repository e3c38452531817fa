import type { ReactNode } from 'react'
import './globals.css'

export const metadata = { title: 'Next.js' }

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <main>{children}</main>
      </body>
    </html>
  )
}
