// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws the Lanes view in its page.
{
  interface Cell { lane: number; text: string; tooltip: string; active: boolean; focus: boolean; color?: number; shade?: number }
  interface Chart { least: number; greatest: number; mean: number; numbers: (number | null)[] }
  interface Grid { title: string; detail: string; cells: Cell[]; legend: { color: number; text: string }[]; chart?: Chart; error?: string }
  interface ToView { kind: 'grid' | 'nothing' | 'running'; grid?: Grid; text?: string; expression?: string; coloring?: string }

  const editor = (globalThis as unknown as { acquireVsCodeApi(): { postMessage(message: object): void } }).acquireVsCodeApi();
  const get = <T extends Element>(selector: string): T => document.querySelector<T>(selector)!;
  const form = get<HTMLFormElement>('#form');
  const expression = get<HTMLInputElement>('#expression');
  const coloring = get<HTMLSelectElement>('#coloring');
  const grid = get<HTMLElement>('#grid');

  function shorten(number: number): string {
    return Number.isInteger(number) && Math.abs(number) < 1e9 ? String(number) : number.toPrecision(4);
  }

  function drawCell(cell: Cell): HTMLElement {
    const button = document.createElement('button');
    button.className = `cell${cell.active ? '' : ' inactive'}${cell.focus ? ' focus' : ''}`;
    button.dataset.lane = String(cell.lane);
    button.title = cell.tooltip;
    button.setAttribute('role', 'gridcell');
    button.setAttribute('aria-label', cell.tooltip.replaceAll('\n', ', '));
    button.tabIndex = cell.focus ? 0 : -1;
    if (cell.color !== undefined)
      button.classList.add(`color-${cell.color}`);
    if (cell.shade !== undefined) {
      button.classList.add('shaded');
      button.style.setProperty('--shade', `${Math.round(10 + cell.shade * 75)}%`);
    }
    const number = document.createElement('span');
    number.className = 'number';
    number.textContent = String(cell.lane);
    button.append(number);
    if (cell.text) {
      const value = document.createElement('span');
      value.className = 'value';
      value.textContent = cell.text;
      button.append(value);
    }
    button.addEventListener('click', () => editor.postMessage({ kind: 'select', lane: cell.lane }));
    return button;
  }

  function drawChart(chart: Chart | undefined): void {
    const figure = get<HTMLElement>('#chart');
    figure.hidden = !chart;
    if (!chart)
      return;
    const [width, height] = [chart.numbers.length * 4, 48];
    // Bars begin at zero if it is in their range.
    const low = Math.min(0, chart.least), high = Math.max(0, chart.greatest);
    const scale = high > low ? height / (high - low) : 0;
    const svg = get<SVGSVGElement>('#chart svg');
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.replaceChildren(...chart.numbers.flatMap((number, lane) => {
      if (number === null)
        return [];
      const bar = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
      const size = Math.max(1, Math.abs(number) * scale);
      bar.setAttribute('x', String(lane * 4));
      bar.setAttribute('y', String(Math.min(height - size, (high - Math.max(0, number)) * scale)));
      bar.setAttribute('width', '3');
      bar.setAttribute('height', String(size));
      const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
      title.textContent = `lane ${lane}: ${number}`;
      bar.append(title);
      return [bar];
    }));
    get<HTMLElement>('#chart figcaption').textContent =
      `least ${shorten(chart.least)}, greatest ${shorten(chart.greatest)}, mean ${shorten(chart.mean)}`;
  }

  function draw(shown: Grid | undefined, text = ''): void {
    const had = document.activeElement instanceof HTMLElement && document.activeElement.classList.contains('cell');
    get('#title').textContent = shown ? shown.title : text;
    get('#detail').textContent = shown?.detail ?? '';
    get('#error').textContent = shown?.error ?? '';
    grid.classList.toggle('values', shown?.cells.some(cell => cell.text) ?? false);
    grid.replaceChildren(...(shown?.cells ?? []).map(drawCell));
    get('#legend').replaceChildren(...(shown?.legend ?? []).map(entry => {
      const item = document.createElement('li');
      const mark = document.createElement('span');
      mark.className = `mark color-${entry.color}`;
      item.append(mark, entry.text);
      return item;
    }));
    drawChart(shown?.chart);
    // The keyboard stays in the grid when a key has changed the lane.
    if (had)
      grid.querySelector<HTMLElement>('.focus')?.focus();
  }

  window.addEventListener('message', (event: MessageEvent<ToView>) => {
    const message = event.data;
    document.body.classList.toggle('running', message.kind === 'running');
    if (message.kind === 'running')
      return;
    if (message.expression !== undefined && document.activeElement !== expression)
      expression.value = message.expression;
    if (message.coloring !== undefined)
      coloring.value = message.coloring;
    draw(message.grid, message.text);
  });

  form.addEventListener('submit', event => {
    event.preventDefault();
    editor.postMessage({ kind: 'expression', text: expression.value.trim() });
  });
  expression.addEventListener('change', () => form.requestSubmit());
  coloring.addEventListener('change', () => editor.postMessage({ kind: 'coloring', coloring: coloring.value }));
  grid.addEventListener('keydown', event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = Number((document.activeElement as HTMLElement).dataset.lane);
    if (step === undefined || Number.isNaN(at) || !grid.querySelector(`[data-lane="${at + step}"]`))
      return;
    event.preventDefault();
    editor.postMessage({ kind: 'select', lane: at + step });
  });

  editor.postMessage({ kind: 'ready' });
}
