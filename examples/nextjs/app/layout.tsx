import { type ReactNode, Suspense } from 'react'
import './globals.css'

export const metadata = { title: 'Next.js' }

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <main>
          <Suspense>{children}</Suspense>
        </main>
      </body>
    </html>
  )
}
