#include "fedvs/data/catalog.h"

#include <cstdlib>
#include <filesystem>

#include "fedvs/data/clients.h"

namespace fedvs::data {
namespace {

using Format = CatalogEntry::Format;

CatalogEntry fashion_mnist() {
  return {.name = "fashion-mnist",
          .title = "Fashion-MNIST (Xiao et al. 2017)",
          .source = "Debian package dataset-fashion-mnist (zalandoresearch/fashion-mnist)",
          .license = "MIT",
          .note = "28 x 28 grey pixels; client n holds row n of every image",
          .format = Format::kIdx,
          .files = {{"train-images-idx3-ubyte.gz"},
                    {"train-labels-idx1-ubyte.gz"},
                    {"t10k-images-idx3-ubyte.gz"},
                    {"t10k-labels-idx1-ubyte.gz"}},
          .package = "dataset-fashion-mnist",
          .package_folder = "/usr/share/datasets/fashion-mnist",
          .clients = 28,
          .rows = 70000,
          .test_rows = 10000,
          .features = 784,
          .classes = 10,
          .class_names = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt",
                          "Sneaker", "Bag", "Ankle boot"}};
}

std::vector<std::string> emnist_characters() {
  std::vector<std::string> names;
  for (char c : std::string("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabdefghnqrt"))
    names.emplace_back(1, c);
  return names;
}

CatalogEntry emnist() {
  return {.name = "emnist",
          .title = "EMNIST, the 47 classes of Balanced (Cohen et al. 2017)",
          .source = "0r4nd/emnist-packed: genuine EMNIST samples, up to 2800 per class",
          .license = "NIST asks for the citation and states no license",
          .note = "28 x 28 grey pixels, stored transposed; not the published selection of samples",
          .format = Format::kIdx,
          .files = {{"emnist47-train-images-idx3-ubyte.gz", 23196474,
                     "d7a6b1898bfe1f2f11829bffdf30f017ac3adf0f4eb050cd20c7f99c333c18d6"},
                    {"emnist47-train-labels-idx1-ubyte.gz", 66355,
                     "aa00026151ad5624f22c03df5257c857212001de344894d1ec232a5beda12fba"},
                    {"emnist47-test-images-idx3-ubyte.gz", 3870183,
                     "852703ce77bc0ae98f66b0a9bf1f55c7a72dfd7bd10a32691c0cd31eca6436ef"},
                    {"emnist47-test-labels-idx1-ubyte.gz", 11053,
                     "b17ae853b462959a2426516d4205f47e8bf383a5acf5ee5fe5d354bcbc536319"}},
          .clients = 28,
          .rows = 109405,
          .test_rows = 15630,
          .features = 784,
          .classes = 47,
          .class_names = emnist_characters()};
}

CatalogEntry handwritten() {
  return {.name = "handwritten",
          .title = "Handwritten = Multiple Features (Duin, UCI 72)",
          .source = "YilinZhang107/Multi-view-Datasets",
          .license = "CC BY 4.0 (not verified)",
          .note = "views pix, fou, fac, zer, kar, mor",
          .files = {{"mfeat-pix.csv.gz", 103763,
                     "49c533e4b4dee4b67dacd16ec22b10ac3a6cb06c140c8e31c00c57019a88b778"},
                    {"mfeat-fou.csv.gz", 669177,
                     "3d294922f47ab7cb0dbe8e9cab6a9a71018463d843364218f60eeaaa6c787d35"},
                    {"mfeat-fac.csv.gz", 574452,
                     "9e586f10f87e1159c2174089a33638a07a404c5602ee892a33d19b9445b2c390"},
                    {"mfeat-zer.csv.gz", 547577,
                     "4463396f81a6aff45fee5ade826a5712142a286cbad35b06ed156e9ef8cfe205"},
                    {"mfeat-kar.csv.gz", 667134,
                     "ffe815d6927d6ee248fd4dbf2dcb3ee21d365c781e76efff25ef9acb032177a6"},
                    {"mfeat-mor.csv.gz", 35671,
                     "ce3d116492bcd72079a3ec998af574542d61cd78a5e8d58f37f83b3356fb978d"}},
          .label = "class",
          .clients = 6,
          .client_per_view = true,
          .test_share = 0.4,
          .rows = 2000,
          .features = 649,
          .classes = 10};
}

CatalogEntry caltech7() {
  return {
      .name = "caltech7",
      .title = "Caltech-7, six views (Li et al. 2015; Li, Andreeto, Ranzato, Perona 2022)",
      .source = "computed from the 1474 images in MachineLearning2020/Homework2-Caltech101",
      .license = "CC BY 4.0",
      .note = "views gabor, wm, centrist, hog, gist, lbp; not the numbers of the published file",
      .files = {{"view-gabor.csv.gz", 247379,
                 "07768ee7d8d1f61eb5ad87c32ed2bbe97f18cf7923220325db1278773b9738ff"},
                {"view-wm.csv.gz", 227928,
                 "d41817a3e89a0462cf859c5a65bf32706b7336d41f07a2f55dc2370771814982"},
                {"view-centrist.csv.gz", 1136106,
                 "61762f5cadfb0d1a2bf3cce747a6fa307f51816a9ad1470d411079883e39712e"},
                {"view-hog.csv.gz", 9917486,
                 "fc220a7cf468b3de318c5598ba7b3e595c1bf6fe93560c748c591dafeb4d96cd"},
                {"view-gist.csv.gz", 2687075,
                 "682914a2f5d76e56866a0e9db22e59e78b31a6a3eb7b65053cbea41f0eceaeb1"},
                {"view-lbp.csv.gz", 2695249,
                 "bcf740648f378cb4d4fabe0c1c2d256fc84f5e5c4a2f48b7bebb6b313726333c"}},
      .label = "class",
      .clients = 6,
      .client_per_view = true,
      .test_share = 0.2,
      .rows = 1474,
      .features = 3766,
      .classes = 7,
      .class_names = {"Faces", "Motorbikes", "dollar_bill", "garfield", "snoopy", "stop_sign",
                      "windsor_chair"}};
}

CatalogEntry credit_card() {
  return {.name = "credit-card",
          .title = "default of credit card clients (Yeh & Lien 2009, UCI 350)",
          .source = "kakshay21/Octave-ML, cross-checked with two other copies",
          .license = "CC BY 4.0 (not verified)",
          .note = "the ID column is left out: 23 attributes remain",
          .files = {{"UCI_Credit_Card.csv.gz", 979921,
                     "3b1c8e69fc71fb19229d8d3dedeeaf70012b7706bee03b534a33a6ba32a78394"}},
          .label = "default.payment.next.month",
          .ignore = {"ID"},
          .clients = 11,
          .test_share = 0.2,
          .rows = 30000,
          .features = 23,
          .classes = 2,
          .class_names = {"paid", "default"}};
}

CatalogEntry parkinson() {
  return {
      .name = "parkinson",
      .title = "Parkinson's Disease Classification (Sakar et al. 2019, UCI 470)",
      .source = "FayeqJeelani12/Parkinson-s-Disease-Paper, Arnab9Codes/Pd-Speech-Work",
      .license = "CC BY 4.0",
      .note = "252 subjects with 3 recordings each; data.split = \"subject\" keeps them together",
      .files = {{"pd_speech_features.csv.gz", 2253427,
                 "b9e12606596b847e14104be0b14a4e3f733c84f7c6afbbffd026c9ee56a4c76c"}},
      .label = "class",
      .subject = "id",
      .clients = 10,
      .test_share = 0.3,
      .rows = 756,
      .features = 753,
      .classes = 2,
      .class_names = {"healthy", "Parkinson's"}};
}

}  // namespace

const std::vector<CatalogEntry>& catalog() {
  static const std::vector<CatalogEntry> entries = {fashion_mnist(), emnist(),      handwritten(),
                                                    caltech7(),      credit_card(), parkinson()};
  return entries;
}

Result<CatalogEntry> find_entry(const std::string& name) {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : catalog()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  names.insert(names.end(), {"csv", "parties", "synthetic"});
  if (name == "parties")
    return Error{ErrorCode::kBadJob,
                 "data.name = \"parties\" is for networked runs only, where every party brings a "
                 "file of its own (fedvs init, server, client)"};
  if (name == "csv" || name == "synthetic")
    return Error{ErrorCode::kBadJob, "\"" + name + "\" is not a built-in data set with files"};
  return unknown_name(ErrorCode::kBadJob, "data set", name, names);
}

std::string folder_of(const CatalogEntry& entry) {
  const char* root = std::getenv("FEDVS_DATA");
  const bool rooted = root != nullptr && *root != '\0';
  const std::string own = rooted ? (std::filesystem::path(root) / entry.name).string() : "";
  std::error_code ignored;
  if (entry.package_folder.empty() || (rooted && std::filesystem::exists(own, ignored))) return own;
  return entry.package_folder;
}

double own_test_share(const DataJob& job) {
  const auto entry = find_entry(job.name);
  return entry ? entry->test_share : Dataset{}.test_share;
}

bool is_image_set(const std::string& name) {
  const auto entry = find_entry(name);
  return entry && entry->format == CatalogEntry::Format::kIdx;
}

}  // namespace fedvs::data
