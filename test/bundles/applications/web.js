/** A listener of Node for what takes a `Request` without a body. */
export function serve(fetch) {
  return (req, res) => {
    const { method, headers } = req
    const request = new Request(new URL(req.url, process.env.BASE_URL), { method, headers })
    void send(fetch(request), res)
  }
}

async function send(answering, res) {
  const answer = await answering
  res.writeHead(answer.status, [...answer.headers].flat())
  res.end(await answer.text())
}
