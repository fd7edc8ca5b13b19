// Logs of all tools, and logs that must be explained: right, or refused with the cause.

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "log_template.h"
#include "log_text.h"
#include "power/log/log_format.h"
#include "support/catch.h"

namespace gpubench::test::tool_logs_test {
namespace {

/// Returns the mean power of a part; NaN if the log lacks it.
double mean_of(const PowerLog& log, const std::string& part) {
  for (const PowerTrace& trace : log.traces) {
    if (trace.facts.part != part) continue;
    double sum = 0;
    for (const double watts : parse_watts(trace)) sum += watts;
    return sum / static_cast<double>(trace.samples.size());
  }
  return std::nan("");
}

PowerLogOptions described(const std::string& format) {
  PowerLogOptions options = by_utc();
  options.format = format;
  return options;
}

struct ToolLog {
  std::string tool;
  std::string part;
  std::string head;
  std::string line;
  std::string tail = "";
};

const std::string kUuid = "GPU-11111111-2222-3333-4444-555555555555";

const std::vector<ToolLog>& tool_logs() {
  static const std::vector<ToolLog> all{
      {"nvidia-smi", "GPU 0", "timestamp, index, utilization.gpu [%], power.draw [W]\n",
       "@slash, 0, @load %, @watts W\n"},
      {"nvidia-smi", "GPU 1", "timestamp, index, power.draw.instant [W], power.draw [W]\n",
       "@slash, 0, 30.00, 30.00\n@slash, 1, @watts, 99.00\n"},
      {"nvidia-smi dmon", "GPU 0",
       "#Date       Time        gpu    pwr  gtemp  mtemp\n#YYYYMMDD   HH:MM:SS    Idx      W      C      C\n",
       " @dmon      0    @watts     61      -\n"},
      {"nvidia-smi -q", "GPU 00000000:01:00.0", "",
       "\n==============NVSMI LOG==============\n\nTimestamp                                 : @ctime\n"
       "Driver Version                            : 550.90.07\nAttached GPUs                             : "
       "1\n"
       "GPU 00000000:01:00.0\n    GPU Power Readings\n        Average Power Draw                : 190.00 W\n"
       "        Instantaneous Power Draw          : @watts W\n        Current Power Limit               : "
       "350.00 W\n"
       "    GPU Memory Power Readings\n        Average Power Draw                : 33.00 W\n"
       "        Instantaneous Power Draw          : 34.00 W\n"},
      {"nvidia-smi -q", "GPU 00000000:01:00.0", "",
       "Timestamp                                 : @ctime\nGPU 00000000:01:00.0\n    Power Readings\n"
       "        Power Draw                        : @watts W\n"},
      {"nvidia-smi -q -x", "GPU 00000000:01:00.0", "",
       "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n\t<timestamp>@ctime</timestamp>\n\t<gpu "
       "id=\"00000000:01:00.0\">\n"
       "\t\t<gpu_power_readings>\n\t\t\t<power_draw>@watts W</power_draw>\n"
       "\t\t\t<current_power_limit>350.00 "
       "W</current_power_limit>\n\t\t</gpu_power_readings>\n\t</gpu>\n</nvidia_smi_log>\n"},
      {"nvidia-smi -l", "GPU 1", "",
       "@ctime       "
       "\n+-----------------------------------------------------------------------------------------+\n"
       "| NVIDIA-SMI 550.90.07              Driver Version: 550.90.07      CUDA Version: 12.4     |\n"
       "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
       "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n"
       "|   0  NVIDIA GeForce RTX 3090        Off |   00000000:01:00.0 Off |                  N/A |\n"
       "| 45%   61C    P2              31W /  350W |    8123MiB /  24576MiB |     97%      Default |\n"
       "|   1  NVIDIA GeForce RTX 3090        Off |   00000000:02:00.0 Off |                  N/A |\n"
       "| N/A   61C    P2          @wattsW /  350W |    8123MiB /  24576MiB |     97%      Default |\n"
       "| Processes:                                                                              |\n"
       "|    0   N/A  N/A      4242      C   python3                                      8112MiB |\n"},
      {"dcgmi", "GPU 0",
       "@iso000 #Entity   GPUTL   POWER    FBUSD   \n@iso001 ID                W                        \n",
       "@iso456 GPU 0      98     @watts     8123    \n"},
      {"dcgm-exporter", "GPU 1", "",
       "DCGM_FI_DEV_GPU_TEMP{gpu=\"1\",UUID=\"GPU-b\",device=\"nvidia1\"} 61 @unix-ms\n"
       "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"GPU-a\",device=\"nvidia0\"} 31.5 @unix-ms\n"
       "DCGM_FI_DEV_POWER_USAGE{gpu=\"1\",UUID=\"GPU-b\",device=\"nvidia1\"} @watts @unix-ms\n"},
      {"gpustat", "GPU 0 NVIDIA GeForce RTX 3090", "",
       R"({"hostname": "box", "query_time": "@iso456", "gpus": [{"index": 0, "uuid": ")" + kUuid +
           R"(", "name": "NVIDIA GeForce RTX 3090", "utilization.gpu": @load, "power.draw": @watts, "processes": [{"pid": 1}]}]})" +
           "\n"},
      {"gpustat", "GPU 0 x", "",
       "{\n  \"query_time\": \"@iso456\",\n  \"gpus\": [\n    {\n      \"index\": 0,\n      \"name\": "
       "\"x\",\n"
       "      \"power.draw\": @watts\n    }\n  ]\n}\n"},
      {"nvitop", "GPU 0",
       "run/host/cpu_percent (%)/mean,run/cuda:0 (gpu:0)/gpu_utilization (%)/mean,run/cuda:0 "
       "(gpu:0)/power_usage "
       "(W)/mean,run/cuda:0 (gpu:0)/power_usage (W)/max,run/duration (s),run/timestamp\n",
       "11.0,97.0,@watts,299.0,@number.0,@unix\n"},
      {"amd-smi", "GPU 1", "timestamp,gpu,gfx_activity,vcn_activity,socket_power,hotspot\n",
       "@unix,0,99,\"['N/A', 'N/A']\",44,60\n@unix,1,99,\"['N/A', 'N/A']\",@watts,60\n"},
      {"xpu-smi", "GPU 0", "Timestamp, DeviceId, GPU Utilization (%), GPU Power (W)\n",
       "@iso,    0, 97.00, @watts\n@iso,    1, 97.00, 43.10\n"},
      {"gpu-z", "GPU",
       "Date , GPU Clock [MHz] , GPU Temperature [C] , Board Power Draw [W] , GPU Chip Power Draw [W] ,\n",
       "@whole , 1500.0 , 61.0 , @watts , 70.1 ,\n"},
      {"tegrastats", "VDD_GPU_SOC", "",
       "@us-date RAM 17953/62841MB (lfb 9x4MB) SWAP 0/31420MB CPU [7%@1728,31%@1036] EMC_FREQ 12%@204 "
       "GR3D_FREQ "
       "39%@[305,0] gpu@40C VDD_GPU_SOC @milliwattsmW/20000mW VDD_CPU_CV 799mW/799mW VIN_SYS_5V0 "
       "3315mW/3315mW\n"},
      {"tegrastats", "POM_5V_GPU", "",
       "@unix RAM 1903/3964MB (lfb 2x4MB) CPU [1%@102,0%@102] POM_5V_IN 300000/300000 POM_5V_GPU "
       "@milliwatts/20000 POM_5V_CPU 799/799\n"},
      {"jtop", "VDD_GPU_SOC",
       "time,uptime,jetson_clocks,nvp model,CPU1,GPU,Power VDD_GPU_SOC,Power TOT,Temp CPU\n",
       "@blank,1 day,OFF,MAXN,12,@load,@milliwatts,300000,40\n"},
      {"powermetrics", "GPU", "Machine model: Macmini9,1\n",
       "*** Sampled system activity (@ctime +0000) (1003.15ms elapsed) ***\n\n**** Processor usage ****\n\n"
       "CPU Power: 4000 mW\nGPU Power: @milliwatts mW\nANE Power: 0 mW\n"
       "Combined Power (CPU + GPU + ANE): 4500 mW\n\n**** GPU usage ****\n\nGPU Power: @milliwatts mW\n"},
      {"powermetrics", "CPU", "",
       "*** Sampled system activity (@ctime +0000) (1003.15ms elapsed) ***\n\n"
       "Intel energy model derived package power (CPUs+GT+SA): @wattsW\n"},
      {"powermetrics -f plist", "GPU", "",
       std::string(1, '\0') +
           "<?xml version=\"1.0\"?>\n<plist "
           "version=\"1.0\">\n<dict>\n<key>timestamp</key><date>@isoZ</date>\n"
           "<key>elapsed_ns</key><integer>1000000000</integer>\n<key>processor</key><dict>\n"
           "<key>cpu_power</key><real>4000</real>\n<key>gpu_power</key><real>@milliwatts</real>\n</dict></"
           "dict></plist>\n"},
      {"powermetrics -f plist", "GPU", "",
       "<plist "
       "version=\"1.0\">\n<key>timestamp</key><date>@isoZ</date>\n<key>elapsed_ns</key><integer>1000000000</"
       "integer>\n"
       "<key>gpu_energy</key><integer>@milliwatts</integer>\n</plist>\n"},
      {"macmon", "GPU", "",
       R"({"timestamp":"@iso+00:00","temp":{"gpu_temp_avg":50.1},"cpu_power":4.7,"gpu_power":@watts,"ane_power":0.0,"all_power":24.7})"
       "\n"},
      {"mactop", "GPU", "",
       R"({"timestamp": "@isoZ", "soc_metrics": {"cpu_power": 0.1, "gpu_power": @watts, "dram_power": 0.9, "system_power": 0.8, "total_power": 0.62, "gpu_freq_mhz": 1398}, "gpu_usage": 97.0})"
       "\n"},
      {"mactop", "system", "[",
       R"({"timestamp": "@isoZ", "soc_metrics": {"cpu_power": 0.1, "gpu_power": 9, "system_power": @watts}},)",
       R"({"timestamp": "@isoZ", "soc_metrics": {}}])"
       "\n"},
      {"mactop csv", "system",
       "Timestamp,System_Name,CPU_Usage,GPU_Usage,GPU_Freq_MHz,Total_Power,System_Power,CPU_Temp\n",
       "@isoZ,M1,12.00,97.00,1398,12.10,@watts,41.00\n"},
      {"turbostat", "packages", "Time_Of_Day_Seconds\tCore\tCPU\tBusy%\tPkgWatt\tRAMWatt\n",
       "@unix\t-\t-\t50.10\t@watts\t3.10\n@unix\t0\t0\t50.10\t65.00\n@unix\t0\t1\t50.10\n"},
      {"hwinfo", "GPU",
       "Date,Time,\"CPU Package [\xb0"
       "C]\",\"CPU Package Power [W]\",\"IA Cores Power [W]\",\"GPU Temperature [\xb0"
       "C]\",\"GPU Power [W]\",\"GPU Core (NVVDD) Output Power [W]\",\"Total GPU Power (normalized) [% of "
       "TDP]\",\n",
       "@german,@time,60,45.0,40.1,61.1,@watts,142.1,57.1,\n"},
      {"powerjoular", "GPU", "Date,CPU Utilization,Total Power,CPU Power,GPU Power\n",
       "@whole,0.5,250.5,47.25,@watts\n"},
      {"scaphandre", "host", "",
       R"({"host": {"consumption": @microwatts.0, "timestamp": @unix}, "consumers": [{"exe": "x", "pid": 4, "consumption": 30378000.0}]})"
       "\n"},
      {"ptdaemon", "system", "",
       "Time,@us-date.123,Watts,@watts0000,Volts,228.130000,Amps,0.940000,PF,0.970100,Mark,notset\n"},
      {"mllog", "node", "",
       R"(:::MLLOG {"namespace": "", "time_ms": @unix-ms, "event_type": "POINT_IN_TIME", "key": "power_reading", "value": {"value": @watts}, "metadata": {"lineno": 1}})"
       "\n"},
      {"ipmitool", "system", "",
       "\n    Instantaneous power reading:                   @watts Watts\n"
       "    Minimum during sampling period:                 60 Watts\n"
       "    Average power reading over sample period:      176 Watts\n"
       "    IPMI timestamp:                           @ctime\n    Sampling period:                          "
       "00000001 Seconds.\n"},
      {"pm_counters", "power", "", "@watts W @unix-us us\n"},
      {"weights-and-biases", "GPU 0",
       "_timestamp,system/gpu.0.powerWatts,system/gpu.0.powerPercent,system/gpu.0.temp\n",
       "@unix,@watts,57.1,61\n"},
      {"weights-and-biases", "GPU 0", "",
       R"({"_timestamp": @unix, "system.gpu.0.powerWatts": @watts, "system.gpu.0.powerPercent": 57.1})"
       "\n"},
      {"telegraf", "GPU 1", "name,time,index,power_draw,temperature_gpu\n",
       "nvidia_smi,@unix-ms,0,30.5,61\nnvidia_smi,@unix-ms,1,@watts,61\n"},
      {"prometheus", "GPU 0",
       R"({"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {"__name__": "DCGM_FI_DEV_POWER_USAGE", "gpu": "0"}, "values": [)",
       R"([@unix, "@watts"],)",
       R"([@unix, "203.25"]]}]}})"
       "\n"},
      {"prometheus watts", "power",
       R"({"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {"__name__": "node_power_watts"}, "values": [)",
       R"([@unix, "@watts"],)",
       R"([@unix, "203.25"]]}]}})"
       "\n"},
      {"tasmota", "plug", "",
       R"({"Time":"@whole","ENERGY":{"TotalStartTime":"2025-01-01T00:00:00","Total":12.3,"Power":@watts,"ApparentPower":210,"Voltage":230}})"
       "\n"},
      {"tasmota", "plug", "",
       R"(tele/plug/SENSOR {"Time":"@whole","ENERGY":{"Total":12.3,"Power":@watts,"Voltage":230}})"
       "\n"},
      {"numpy.savetxt", "power", "", "@unix-e,@watts-e\n"}};
  return all;
}

}  // namespace

TEST_CASE("a log of each tool is recognized, and the power of the part is the planted one") {
  std::set<std::string> tools;
  for (const ToolLog& log : tool_logs()) {
    INFO(log.tool << ", " << log.part);
    const std::string text = template_log(log.head, log.line, log.tail);
    CHECK(find_refusal(text) == "");
    if (!find_refusal(text).empty()) continue;
    const PowerLog found = read_text(text);
    CHECK(found.format == log.tool);
    // The tails of two logs repeat the last stamp with the value that line 23 has.
    CHECK(mean_of(found, log.part) == approx(planted_mean()).margin(0.2));
    tools.insert(log.tool);
  }
  for (const std::string& name : power_log_formats())
    if (name != "auto" && name != "gpubench") CHECK(tools.contains(name));
}

TEST_CASE("a table with a time and exactly one power with its unit is read") {
  struct Log {
    std::string head;
    std::string line;
  };
  const std::vector<Log> logs{
      {"timestamp_ms,power_W\n", "@unix-ms,@watts\n"},
      {"created_at,power_w\n", "@isoZ,@watts\n"},
      {"timestamp_utc,gpu_util,gpu_power_w\n", "@isoZ,@load,@watts\n"},
      {"Zeit;Leistung [W]\n", "@german @time;@watts\n"},
      {"", "@date-en,@watts W\n"},
      {"", "@date-c,@watts W\n"},
      {"", "@date-mail;@watts W\n"},
      {"", "@unix @watts W\n"},
      {"", "@iso\t@load %, @watts W, 61\n"},
      {"time,power_w\n", "@compact,@watts\n"},
      {"time,power_uW\n", "@unix,@microwatts\n"},
      {"time,power_kw\n", "@unix,@kilowatts\n"},
      {"Timestamp (s),Power (mW)\n", "@blank456,@milliwatts\n"},
      {"\xef\xbb\xbf\"Time\",\"GPU 0\"\n", "\"@whole\",\"@watts W\"\n"},
      {"time,host,power_w\n", "@unix,n1,@watts\n"},
      {"", "{\"time\":@unix,\"gpu_power_w\":@watts,\"gpu_util\":@load}\n"},
      {"[{\"a\":1}", ",{\"time\":@unix,\"power_watts\":@watts}"},
      {"Delta,Time,CPU_USAGE_0,SYSTEM_POWER (Watts)\n", "1000,@unix-ms,12.5,@watts\n"}};
  for (const Log& log : logs) {
    INFO(log.head << log.line);
    const std::string text = template_log(log.head, log.line, log.head.starts_with('[') ? "]\n" : "");
    CHECK(find_refusal(text) == "");
    if (!find_refusal(text).empty()) continue;
    const PowerLog found = read_text(text);
    CHECK(found.format == "table");
    CHECK(mean_of(found, found.traces[0].facts.part) == approx(planted_mean()).margin(1e-6));
  }
}

TEST_CASE("a log that nothing explains is refused with its first line, what is missing, and the option") {
  struct Log {
    std::string head;
    std::string line;
    std::string message;
  };
  const std::vector<Log> logs{
      {"", "@slash, @load, @watts\n",
       "no column has a power with its unit (2026/03/01 12:00:00.123, 0, 60.50); explain it, as in "
       "--log-format 'time=1 power=COLUMN:W'"},
      {"timestamp,gpu_power_pct\n", "@blank,57.5\n",
       "no column has a power with its unit (timestamp, gpu_power_pct)"},
      {"timestamp,power_kwh\n", "@blank,1.5\n", "no column has a power with its unit"},
      {"timestamp,watt_hours\n", "@blank,1.5\n", "no column has a power with its unit"},
      {"timestamp,power_on\n", "@blank,1\n", "no column has a power with its unit"},
      {"Step,run - system.gpu.0.powerPercent\n", "@number,57.5\n", "no column has a date and a time"},
      {"_timestamp,system.gpu.0.powerPercent\n", "@unix,57.5\n", "no column has a power with its unit"},
      {"timestamp,power\n", "@blank,@kilowatts\n", "no column has a power with its unit"},
      {"timestamp,gpu_power,total_power\n", "@unix,900,1200\n", "no column has a power with its unit"},
      {"timestamp,power_a_w,power_b_w\n", "@unix,@watts,@half\n",
       "2 columns may be the power (power_a_w, power_b_w)"},
      {"Time,PACKAGE_ENERGY (J)\n", "@unix-ms,@joules\n", "no column has a power with its unit"},
      {"timestamp,GPU0,GPU1\n", "@unix,@watts,@half\n", "no column has a power with its unit"},
      {"", "@blank - trainer - epoch @number\n", "no column has a power with its unit"},
      {"", "@blank,gpu_power,@watts\n@blank,gpu_temp,61\n", "no column has a power with its unit"},
      {"", "@slash, 61\n", "no column has a power with its unit"},
      {"", "@iso;@joules\n", "no column has a power with its unit"},
      {"", "@unix @watts\n", "no column has a power with its unit"},
      {"", "@number.001041336,43.26,Joules,power/energy-pkg/,1001041336,100.00,,\n",
       "no column has a date and a time"},
      {"", "@joules J @unix-us us\n", "is not a number of watts"},
      {"", "@iso,@joules W\n", "'power' never falls, so it is an energy or another counter"},
      {"time;cpu;gpu;watts\n", "@blank;12;@load;@watts\n", "column 'gpu' does not tell devices apart"},
      {"", "@slash, @load, @watts W\n", "does not tell devices apart"},
      {"entity_id,state,last_changed\n", "sensor.plug_power,@watts,@isoZ\nsensor.plug_voltage,230,@isoZ\n",
       "Home Assistant exports no units; state them: --log-format 'time=last_changed power=state:W "
       "part=entity_id'"},
      {"00, 01-03-2026 12:00:00, Hardware monitoring log v1.6\n", "80, 01-03-2026 12:00:00, 61.0, @watts\n",
       "is a log of MSI Afterburner"},
      {"", "RAM 1903/3964MB (lfb 2x4MB) CPU [1%@102] POM_5V_GPU @milliwatts/20000\n",
       "has no times, which tegrastats lacks before JetPack 5; record with: tegrastats |"},
      {"timestamp,project_name,duration,emissions,cpu_power,gpu_power\n", "@iso,x,10.1,0.1,42.5,@watts\n",
       "CodeCarbon's summary of whole runs"},
      {"", "Sun Mar  1 12:00:0@number CET 2026,@watts W\n",
       "names the zone CET without its offset; record with TZ=UTC"},
      {"timestamp, power.draw [W]\n", "@slash, [Insufficient Permissions]\n",
       "no reading has a power (the tool reports '[Insufficient Permissions]')"},
      {"timestamp,power_w\n", "@number,@watts\n", "is not a time such as"},
      {"",
       R"({"t":@number,"power":200})"
       "\n",
       "no column has a date and a time (t, power)"}};
  for (const Log& log : logs) {
    INFO(log.head << log.line);
    CHECK_THAT(find_refusal(template_log(log.head, log.line)), contains_text(log.message));
  }
}

TEST_CASE(
    "the user describes a log in the words of the table of tools, and the log is checked against them") {
  struct Log {
    std::string format;
    std::string head;
    std::string line;
    std::string message;  ///< Empty if the log is read.
  };
  const std::vector<Log> logs{
      {"time=1 power=3:W", "", "@slash, @load, @watts\n", ""},
      {"time=Date+Time:%d.%m.%Y %H:%M:%S power=3:W", "Date;Time;x\n", "@german;@time;@watts\n", ""},
      {"time=when:unix-ms power=power:mW", "power,when\n", "@milliwatts,@unix-ms\n", ""},
      {"time=2 power=state:W part=1", "entity,when,state\n", "a_power,@iso,@watts\nb_power,@iso,@half\n", ""},
      {"time=meta/at power=gpu/now:W", "", "{\"meta\":{\"at\":@unix},\"gpu\":{\"now\":@watts}}\n", ""},
      {"line=[{time}] {*} draws {power:W}", "", "[@blank] gpu draws @watts\n", ""},
      {"time=1 power=2:W", "", "@slash, @load, @watts\n",
       "as a load in percent or a temperature, and column 3 may be the power"},
      {"time=1 power=3:W device=2", "", "@slash, @load, @watts\n", "column '2' does not tell devices apart"},
      {"time=timestamp power=gpu_power_pct:W", "timestamp,gpu_power_pct\n", "@unix,57.5\n",
       "'gpu_power_pct' is not a power in watts"},
      {"time=Time power=PACKAGE_ENERGY (J):W", "Time,PACKAGE_ENERGY (J)\n", "@unix,@joules\n",
       "'PACKAGE_ENERGY [J]' is not a power in watts"},
      {"time=1 power=2:W", "", "@iso;@joules\n", "never falls"},
      {"time=a power=c:W", "a,b\n", "@iso,@watts\n", "--log-format 'c': not in the log"},
      {"time=1 power=2", "", "@iso,@watts\n", "has no unit; state it: power=2:W in --log-format"},
      {"time=1", "", "@iso,@watts\n", "needs a time and a power"},
      {"power=1:W time=", "", "@iso,@watts\n", "time= has no value"},
      {"line={time} {wats}", "", "@iso,@watts\n", "'{wats}' is unknown"},
      {"tiem=1 power=2:W time=1", "", "@iso,@watts\n", "begins with no key"},
      {"refuse=everything", "", "@iso,@watts\n", "begins with no key"},
      {"line={time} {power} {power} {power} {power} {power} {power} {power} {power} {power} {power} {power} "
       "{power}",
       "", "@iso,@watts\n", "more than 12 placeholders"}};
  for (const Log& log : logs) {
    INFO(log.format << "\n" << log.line);
    const std::string refusal = find_refusal(template_log(log.head, log.line), described(log.format));
    if (log.message.empty()) {
      CHECK(refusal == "");
      if (!refusal.empty()) continue;
      const PowerLog found = read_text(template_log(log.head, log.line), described(log.format));
      CHECK(mean_of(found, found.traces[0].facts.part) == approx(planted_mean()).margin(1e-6));
    } else {
      CHECK_THAT(refusal, contains_text(log.message));
    }
  }
}

TEST_CASE("logs appended to one file are read by their headings, or refused if the columns may have moved") {
  const std::string first =
      template_log("timestamp, index, power.draw [W]\n", "2026/03/01 11:00:@number.123, 0, 61.50 W\n");
  const PowerLog both = read_text(
      first + template_log("timestamp, index, name, power.draw [W]\n", "@slash, 0, RTX, @watts W\n"));
  CHECK(both.traces.size() == 1);
  CHECK(both.traces[0].samples.size() == 2 * kTemplateLines);
  CHECK_THAT(find_refusal(template_log("", "2026/03/01 11:00:@number.123, 200.00 W, 55\n") +
                          template_log("", "@slash, 55, @watts W\n")),
             contains_text(
                 "'55' has no unit, unlike the powers above; if another log follows here, split the file"));
}

}  // namespace gpubench::test::tool_logs_test
