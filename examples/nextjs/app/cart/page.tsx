import { revalidatePath } from 'next/cache'
import { Suspense } from 'react'
import { auth } from '../../auth'

async function add() {
  'use server'
  await auth.requireUser({ maxAge: 3600 })
  const data = await auth.getData()
  const { items = 0 } = data.get() as { items?: number }
  await data.set({ items: items + 1 })
  revalidatePath('/cart')
}

async function logOut() {
  'use server'
  await (await auth.getAuth()).logout()
}

export default function Page() {
  return (
    <>
      <h1>Your cart</h1>
      <Suspense>
        <Items />
      </Suspense>
      <form action={add}>
        <button type="submit">Add</button>
      </form>
      <form action={logOut}>
        <button type="submit">Log out</button>
      </form>
    </>
  )
}

async function Items() {
  const { items = 0 } = (await auth.getData()).get()
  return <p>{String(items)} in the cart</p>
}
