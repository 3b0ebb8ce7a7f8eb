#include <fmt/format.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <memory>
#include <string>

extern "C" {
#include <pci/pci.h>
}

#include "base/error.h"
#include "host/fact_parts.h"
#include "host/tree.h"

namespace sidegrade::host {
namespace {

/// libpci's own handler prints and calls exit; it must not return either.
void throw_error(char* format, ...) PCI_NONRET;

void throw_error(char* format, ...) {
  std::array<char, 512> text{};
  va_list arguments;
  va_start(arguments, format);
  (void)std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  throw base::Error(fmt::format("libpci says: {}", text.data()));
}

void keep_quiet(char* /*format*/, ...) {}

using Access = std::unique_ptr<pci_access, decltype(&pci_cleanup)>;

Access scan_bus() {
  Access access(pci_alloc(), pci_cleanup);
  // Named, since a search for a method would try I/O ports too.
  access->method = PCI_ACCESS_SYS_BUS_PCI;
  access->error = throw_error;
  access->warning = keep_quiet;
  access->debug = keep_quiet;
  pci_init(access.get());
  pci_scan_bus(access.get());
  return access;
}

std::string address(const pci_dev& device) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:d}", device.domain, device.bus,
                     device.dev, device.func);
}

/// Names come from pci.ids alone: libpci's way to udev's copy leaks its handle.
std::string description(pci_access* access, pci_dev* device) {
  pci_fill_info(device, PCI_FILL_IDENT | PCI_FILL_CLASS | PCI_FILL_CLASS_EXT);
  std::array<char, 128> kind{};
  std::array<char, 256> name{};
  pci_lookup_name(access, kind.data(), static_cast<int>(kind.size()),
                  PCI_LOOKUP_CLASS | PCI_LOOKUP_NO_HWDB, device->device_class);
  pci_lookup_name(access, name.data(), static_cast<int>(name.size()),
                  PCI_LOOKUP_VENDOR | PCI_LOOKUP_DEVICE | PCI_LOOKUP_NO_HWDB,
                  device->vendor_id, device->device_id);
  std::string text = fmt::format("{}: {}", kind.data(), name.data());
  if (device->rev_id != 0) text += fmt::format(" (rev {:02x})", device->rev_id);
  return text;
}

}  // namespace

Facts pci_facts(const Root& root) {
  if (root.path != "/") {
    return {{"pci", absent("PCI devices are listed on the live machine only")}};
  }
  try {
    const Access access = scan_bus();
    Facts facts;
    for (pci_dev* device = access->devices; device != nullptr;
         device = device->next) {
      facts["pci." + address(*device)] =
          known(description(access.get(), device));
    }
    return facts;
  } catch (const base::Error& error) {
    return {{"pci", absent(error.what())}};
  }
}

}  // namespace sidegrade::host
