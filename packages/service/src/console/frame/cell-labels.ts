/**
 * Labels each cell of the tables in a page with the heading of its column. On a narrow screen,
 * where a row is shown as a card, the label stands beside the cell.
 */
export function labelCells(html: string): string {
  return html.replace(/<table>.*?<\/table>/gs, (table) => {
    const headings = [...table.matchAll(/<th scope="col">(.*?)<\/th>/gs)]
    const labels = headings.map(([, text = '']) => text.replace(/<[^>]*>/g, '').trim())
    let column = 0
    return table.replace(/<(tr|td)(?=[\s>])/g, (tag, name) => {
      if (name === 'tr') column = 0
      return name === 'tr' ? tag : `${tag} data-label="${labels[column++] ?? ''}"`
    })
  })
}
