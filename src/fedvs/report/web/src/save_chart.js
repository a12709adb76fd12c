// A chart by itself, legend inside, as a file for a slide.
import { element } from "./dom.js";
import { init } from "./echarts.js";
import { line_option } from "./line_option.js";

const kSize = "position:absolute;left:-9999px;width:800px;height:480px";

export function save_chart(chart, state) {
  const place = element("div", { style: kSize });
  document.body.append(place);
  const copy = init(place, null, { renderer: "svg" });
  const option = line_option(chart, state, () => "");
  option.legend = { ...option.legend, show: true, top: 4, textStyle: option.textStyle };
  option.grid.top = 40;
  copy.setOption(option);
  const href = copy.getDataURL({ type: "svg" });
  element("a", { href, download: `${chart.id}-${state.axis}.svg` }).click();
  copy.dispose();
  place.remove();
}
